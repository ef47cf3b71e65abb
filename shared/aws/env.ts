// Names that infrastructure and code share, so that neither has them as strings of its own.

/** The source of every event that Tickring puts on its bus. */
export const EVENT_SOURCE = 'tickring'
