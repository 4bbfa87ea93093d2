import files from 'folder:../../../sql/migrations'

/** A migration; the name is that of its file and is recorded in the database. */
export interface Migration {
  name: string
  text: string
}

/** All migrations, in the order of their numbers, in which they are applied. */
export const migrations: readonly Migration[] = Object.entries(files).map(([file, text]) => ({
  name: file.replace(/\.sql$/, ''),
  text,
}))
