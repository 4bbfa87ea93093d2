/** The account that Actions acts as; every database has it (sql/migrations/0002_forge.sql). */
export const BOT_ID = -2
export const BOT_NAME = 'gitea-actions'

/** The name shown for the actions of deleted accounts. */
export const GHOST_NAME = 'Ghost'
