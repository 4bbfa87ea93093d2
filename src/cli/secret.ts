import { type RekeyResult, rekeyColumn } from '../db/encryption/rekey.ts'
import { forgetKeys, recordedKeys } from '../db/encryption/secret-key-check.ts'
import { record } from '../forge/audit/audit-trail.ts'
import { encryptedColumns } from '../forge/encrypted-columns.ts'
import { type Command, type CommandContext, SetupError } from './command.ts'

const rekey: Command = {
  name: 'secret rekey',
  usage: '',
  summary: 'encrypt all secrets in the database again, with the first key of SECRET_KEY',
  async run(context) {
    let lost = 0
    for (const [name, rekeyed] of Object.entries(await rekeyAll(context))) {
      context.print(`${name}: ${rekeyed.rewritten} encrypted again, ${rekeyed.current} needed no change`)
      for (const { key, error } of rekeyed.unreadable)
        context.print(`  number ${key.join('/')} cannot be decrypted: ${error}`)
      lost += rekeyed.unreadable.length
    }
    if (lost > 0) throw new SetupError(`${lost} of them cannot be decrypted and stay as they are`)
    context.print('all secrets are encrypted with the first key')
  },
}

export const secretCommands = [rekey]

/** Re-encrypts every column; if all succeed, the next start no longer requires the former keys. */
async function rekeyAll(context: CommandContext): Promise<Record<string, RekeyResult>> {
  const { pool, begin } = context
  const secrets = await context.secrets()
  const parts = { sql: pool, begin, secrets }
  const recorded = await recordedKeys(pool)
  const results: Record<string, RekeyResult> = {}
  for (const [name, where] of Object.entries(encryptedColumns))
    results[name] = await rekeyColumn(parts, where)
  const counts = Object.entries(results).map(([name, { rewritten }]) => [name, rewritten])
  const isComplete = Object.values(results).every(({ unreadable }) => unreadable.length === 0)
  await begin(async (tx) => {
    if (isComplete) await forgetKeys(tx, recorded, secrets.keyIds[0])
    await record(tx, 'command line', {
      action: 'secret.rekeyed',
      target: { kind: 'site', name: '' },
      details: Object.fromEntries(counts),
    })
  })
  return results
}
