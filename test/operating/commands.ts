/** Commands that stand together in the documentation. */
export interface Block {
  line: number
  text: string
}

/** Commands that are not run here, by how they begin, with the reason. */
export const notHere: readonly (readonly [string, string])[] = [
  ['apt-get install', 'the programs of this machine stand for those of Debian: its namespace has no network'],
  ['date --set', 'the clock belongs to the whole machine; npm run faults sets that of one process'],
]

/** The blocks of a page that are marked as `sh`, in order. @throws Error for commands that are not marked */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [at, line] of page.split('\n').entries()) {
    if (!open && /^ {4}\S/.test(line))
      throw new Error(`line ${at + 1}: commands stand in a block that is marked as sh`)
    if (!open && line === '```sh') open = { line: at + 2, text: '' }
    else if (open && line === '```') {
      blocks.push(open)
      open = undefined
    } else if (open) open.text += `${line}\n`
  }
  return blocks
}

/** One script of all blocks, as somebody enters them into one shell; it ends at the first command that fails. */
export function scriptOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ line, text }) => {
    const reason = notHere.find(([begin]) => text.startsWith(begin))?.[1]
    return reason === undefined
      ? `echo "— docs/operating.md, line ${line}"\n${text}`
      : `echo "— docs/operating.md, line ${line}: not run here: ${reason}"\n`
  })
  return `set -e\n${parts.join('\n')}`
}
