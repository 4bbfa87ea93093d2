/** A request to the store of contents failed. The message is for the log and the operator; it contains no secret. */
export class StoreError extends Error {
  constructor(
    /**
     * `away`: it cannot be reached or is busy; `denied`: it refuses the request or the credentials; `full`: it has no
     * space left; `damaged`: it returns other bytes than were written.
     */
    readonly kind: 'away' | 'denied' | 'full' | 'damaged',
    message: string,
  ) {
    super(message)
  }
}
