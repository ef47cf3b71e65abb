// How much the rig runs at once. All other limits are those of the deployment.

export const MOST_TICKS = 10
export const MOST_SWITCHES = 4
export const MOST_EXECUTORS = 8
