import { CoalescedReads } from '../http/reads/reads.ts'
import { ValidatedCache } from '../http/reads/validated-cache.ts'
import { type Rate, RateLimiter } from '../limiter/rate-limiter.ts'
import { Authenticator } from './auth/authenticator.ts'
import type { Passwords } from './auth/password.ts'
import { PasswordCache } from './auth/password-cache.ts'

type Deps = ConstructorParameters<typeof Authenticator>[0]

/** What an authenticator is made from: its own dependencies, and the settings and the database behind the others. */
interface OpenDeps extends Omit<Deps, 'verified' | 'reads' | 'rates'> {
  passwords: Passwords
  limiter: ConstructorParameters<typeof CoalescedReads>[0]
  states: ConstructorParameters<typeof ValidatedCache>[0]
  rateLimits: { account: Rate | undefined }
}

/** An authenticator with its caches and limits. */
export function openAuthenticator(deps: OpenDeps): Authenticator {
  const { secrets, log, queryTokens, requireSignIn, passwords, limiter, states } = deps
  const { account } = deps.rateLimits
  return new Authenticator({
    ...{ secrets, log, queryTokens, requireSignIn },
    verified: new PasswordCache(passwords),
    reads: new CoalescedReads(limiter, new ValidatedCache(states, ({ rows }) => 1024 * (1 + rows.length))),
    rates: account && new RateLimiter(account),
  })
}
