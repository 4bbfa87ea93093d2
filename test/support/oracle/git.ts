import { runProgram } from '../processes/program.ts'

/** What git says about a repository that does not change: the truth that answers are compared with. */
export interface Oracle {
  /** The output of git. */
  bytes: (...args: readonly string[]) => Promise<Buffer>
  text: (...args: readonly string[]) => Promise<string>
  lines: (...args: readonly string[]) => Promise<string[]>
  /** The parts of an output that end with NUL. */
  parts: (...args: readonly string[]) => Promise<string[]>
}

export function oracleOf(directory: string): Oracle {
  const env = { PATH: process.env.PATH ?? '', HOME: directory, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' }
  const run = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await runProgram('git', args, { cwd: directory, env })
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const known = new Map<string, Promise<Buffer>>()
  const bytes: Oracle['bytes'] = (...args) => {
    const key = args.join('\0')
    const output = known.get(key) ?? run(['-c', 'core.quotePath=false', '--literal-pathspecs', ...args])
    known.set(key, output)
    return output
  }
  const text: Oracle['text'] = async (...args) => (await bytes(...args)).toString('utf8')
  const split = async (end: string, args: readonly string[]) => (await text(...args)).split(end).slice(0, -1)
  return { bytes, text, lines: (...args) => split('\n', args), parts: (...args) => split('\0', args) }
}

/** A line of `git ls-tree -l -z`. */
export interface ListedFile {
  mode: string
  type: string
  id: string
  size: number
  path: string
}

/** The entries at a place, all of them or those of its first level. */
export async function listed(
  oracle: Oracle,
  tree: string,
  ...more: readonly string[]
): Promise<ListedFile[]> {
  const lines = await oracle.parts('ls-tree', '-z', '-l', '--full-tree', ...more, tree)
  return lines.map((line) => {
    const [, mode = '', type = '', id = '', size = '', path = ''] =
      /^(\d+) (\w+) (\w+) +(\d+|-)\t(.*)$/s.exec(line) ?? []
    return { mode, type, id, size: Number(size) || 0, path }
  })
}
