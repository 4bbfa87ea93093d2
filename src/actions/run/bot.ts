/** Who acts where Actions acts by itself: a bot that every database has (sql/migrations/0011_actions.sql). */
export const BOT_ID = -2
export const BOT_NAME = 'gitea-actions'

/** Who did what was done by an account that is gone. */
export const GHOST_NAME = 'Ghost'
