/** Commands that stand together in the documentation. */
export interface Block {
  line: number
  text: string
}

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
  const parts = blocks.map(({ line, text }) => `echo "— docs/operating.md, line ${line}"\n${text}`)
  return `set -e\n${parts.join('\n')}`
}
