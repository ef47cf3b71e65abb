// A reason to end at once, in words for the user, with what to do about it.

export class CannotStart extends Error {}
