import { type Rekeyed, rekeyColumn } from '../db/encryption/rekey.ts'
import { encryptedColumns } from '../forge/accounts/encrypted-columns.ts'
import { record } from '../forge/admin/audit.ts'
import { type Command, type CommandContext, SetupError } from './command.ts'

const rekey: Command = {
  name: 'secret rekey',
  takes: '',
  summary: 'encrypt what is secret in the database anew, under the first key of SECRET_KEY',
  async run(desk) {
    let lost = 0
    for (const [what, rekeyed] of Object.entries(await rekeyAll(desk))) {
      desk.print(`${what}: ${rekeyed.rewritten} encrypted anew, ${rekeyed.current} were already`)
      for (const { key, error } of rekeyed.unreadable)
        desk.print(`  number ${key.join('/')} cannot be opened: ${error}`)
      lost += rekeyed.unreadable.length
    }
    if (lost > 0) throw new SetupError(`${lost} of them cannot be opened and stay as they are`)
    desk.print('nothing needs another key than the first')
  },
}

export const secretCommands = [rekey]

async function rekeyAll({ pool, begin, secrets }: CommandContext): Promise<Record<string, Rekeyed>> {
  const parts = { sql: pool, begin, secrets: await secrets() }
  const done: Record<string, Rekeyed> = {}
  for (const [what, where] of Object.entries(encryptedColumns)) done[what] = await rekeyColumn(parts, where)
  const counts = Object.entries(done).map(([what, { rewritten }]) => [what, rewritten])
  await begin((tx) =>
    record(tx, 'command line', {
      action: 'secret.rekeyed',
      target: { kind: 'site', name: '' },
      details: Object.fromEntries(counts),
    }),
  )
  return done
}
