import { test } from 'node:test'
import { administrator, clientOf, skip, startChromium } from '../../support/chromium.ts'
import { doNextJob, startedRunner } from '../../support/forge/runs.ts'
import { walkDay } from './day.ts'
import { personIn, type Way, ways } from './hand.ts'

/** Two of the ways in the suite, for their time; `WAYS` names others. */
const chosen = (process.env.WAYS ?? 'keyboard phone').split(' ')

for (const way of Object.values<Way>(ways).filter(({ name }) => chosen.includes(name)))
  test(`two people found a team and work for a day, ${way.title}`, { skip }, async (t) => {
    const { browser, url } = await startChromium()
    const ask = clientOf(url)
    const names = { ada: 'ada', grace: 'grace' }
    const { password } = administrator
    for (const username of Object.values(names))
      await ask('POST', '/api/v1/admin/users', {
        username,
        password,
        email: `${username}@example.org`,
        must_change_password: false,
      })
    const { token } = await ask('POST', '/api/v1/admin/actions/runners/registration-token')
    const runner = await startedRunner(url, token, ['mill'])
    const [ada, grace] = [await personIn(browser, url, way), await personIn(browser, url, way)]
    const runNextJob = () => doNextJob(runner)
    await walkDay({ ada, grace, names, password, org: 'mill', repo: 'stones', runNextJob })
    for (const { name, page, clicks } of [...ada.actions, ...grace.actions])
      t.diagnostic(`${name}: ${page}, ${clicks} clicks`)
  })
