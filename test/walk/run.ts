import { takeWalks } from './walks.ts'

// Words name the walks whose files are printed, in the order in which they are first entered.
const words = process.argv.slice(2)
for (const { name, files } of await takeWalks(import.meta.dirname)) {
  console.log(`${name}: ${new Set(files).size} files, ${files.length - 1} changes of file`)
  if (words.some((word) => name.includes(word)))
    for (const file of new Set(files))
      console.log(`  ${file} ${files.filter((each) => each === file).length}`)
}
