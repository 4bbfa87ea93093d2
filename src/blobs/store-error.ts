/**
 * The store of contents did not do what it was asked for. The message is for the log and the operator; it has no
 * secret.
 */
export class StoreError extends Error {
  constructor(
    /**
     * It cannot be reached or is busy; it refuses what we ask or who we are; it has no space left; it gives other bytes
     * than it was given.
     */
    readonly kind: 'away' | 'denied' | 'full' | 'damaged',
    message: string,
  ) {
    super(message)
  }
}
