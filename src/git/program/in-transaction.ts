import type { OpenRepository } from './git.ts'

/**
 * A repository for a transaction of the database. Its questions and its moves of refs do not wait behind those of others: the
 * transaction has a connection, and an embedded database has only one.
 */
export const inTransaction = ({ git, directory }: OpenRepository): OpenRepository => ({
  directory,
  git: {
    ...git,
    ask: (folder, kind, question, options) => git.ask(folder, kind, question, { ...options, isHeld: true }),
    transact: (folder, commands, mayMove, options) =>
      git.transact(folder, commands, mayMove, { ...options, isHeld: true }),
  },
})
