import { accountKey } from './authorization.ts'
import { FailureCounts, type FailureLimit } from './failure-counts.ts'

/** Somebody who tries to sign in with a password. */
export interface SignIn {
  /** Where from: `networkOf` the address. */
  readonly network: string
  /** The name or e-mail address that was given, whether or not there is such an account. */
  readonly login: string
}

/** Which limit a failure reached. */
export type ReachedLimit = 'network and login' | 'network' | 'login'

const limits = {
  pair: { failures: 10, forgottenAfter: 30_000 },
  network: { failures: 30, forgottenAfter: 10_000 },
  login: { failures: 100, forgottenAfter: 10_000 },
} satisfies Record<string, FailureLimit>

/** Failures that a network is allowed on a login that fails from many networks. */
const allowedUnderAttack = 3

/** Pairs of network and login that are remembered for having signed in. */
const mostKnown = 10_000

/** No name or e-mail address of an account is longer; what is longer need not be told apart. */
const longestLogin = 320

/** `user` as it stands in Basic credentials. */
export function signInOf(user: string, network: string): SignIn {
  return { network, login: accountKey(user).key.slice(0, longestLogin) }
}

/**
 * Limits failed sign-ins, in the memory of one process:
 *
 * - from one network to one login;
 * - from one network to all logins, except those that have signed in from there before;
 * - to one login from all networks. This limit alone refuses nobody, or an attacker could shut an owner out. It only
 *   lowers the first limit, for networks from which nobody has signed in with that login before.
 *
 * A login that nobody has is counted like any other, so that the answers do not tell which accounts exist. For the same
 * reason logins are counted as they were given: a name and an e-mail address of one account are two.
 */
export class SignInThrottle {
  readonly #pairs = new FailureCounts(limits.pair)
  readonly #networks = new FailureCounts(limits.network)
  readonly #logins = new FailureCounts(limits.login)
  /** Pairs that have signed in, the one that did so last at the end. */
  readonly #known = new Set<string>()

  /** Milliseconds until this one may try again; 0: now. */
  wait(signIn: SignIn, now: Date): number {
    const pair = pairOf(signIn)
    if (this.#known.has(pair)) return this.#pairs.wait(pair, now)
    const isUnderAttack = this.#logins.wait(signIn.login, now) > 0
    const allowed = isUnderAttack ? allowedUnderAttack : limits.pair.failures
    return Math.max(this.#pairs.wait(pair, now, allowed), this.#networks.wait(signIn.network, now))
  }

  /** Whether somebody has signed in with this login from this network since the start of the process. */
  isKnown(signIn: SignIn): boolean {
    return this.#known.has(pairOf(signIn))
  }

  /** Counts a failure. Gives the limits that it reaches. */
  failed(signIn: SignIn, now: Date): ReachedLimit[] {
    const reached: ReachedLimit[] = []
    if (this.#pairs.add(pairOf(signIn), now)) reached.push('network and login')
    if (this.#networks.add(signIn.network, now)) reached.push('network')
    if (this.#logins.add(signIn.login, now)) reached.push('login')
    return reached
  }

  /** Only the count of the pair starts anew: otherwise an account of one's own would lift the limits of a network. */
  succeeded(signIn: SignIn): void {
    const pair = pairOf(signIn)
    this.#pairs.clear(pair)
    this.#known.delete(pair)
    this.#known.add(pair)
    const [oldest] = this.#known
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }
}

const pairOf = ({ network, login }: SignIn) => `${network} ${login}`
