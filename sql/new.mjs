// npm run migration -- what_it_does: makes the next numbered file.
import { readdirSync, writeFileSync } from 'node:fs'

const folder = new URL('./migrations/', import.meta.url)
const name = process.argv[2]
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('Cannot name the migration: npm run migration -- words_with_underscores')
  process.exit(1)
}
const last = Math.max(0, ...readdirSync(folder).map((file) => Number.parseInt(file, 10)))
const file = `${String(last + 1).padStart(4, '0')}_${name}.sql`
writeFileSync(new URL(file, folder), '-- Why this change is made.\n')
console.log(`sql/migrations/${file}`)
