import { type Command, UsageError } from '../command.ts'
import { addSiteDemo, hasSiteDemo } from './site-demo.ts'

const seed: Command = {
  name: 'seed',
  usage: '',
  summary: 'add a small demonstration data set to the site and the forge',
  async run(context) {
    const { pool, clock, print } = context
    if (await hasSiteDemo(pool))
      throw new UsageError('the demonstration data set is there already; nothing was added')
    // Loads the whole server, which no other command needs.
    const { addForgeDemo } = await import('./forge-demo.ts')
    const forge = await addForgeDemo(context)
    print(await addSiteDemo(pool, clock()))
    print(forge)
  },
}

export const seedCommands = [seed]
