export class LockedError extends Error {}
