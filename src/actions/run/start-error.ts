/** The planner or git is overloaded or has failed; retry later. */
export class StartError extends Error {}
