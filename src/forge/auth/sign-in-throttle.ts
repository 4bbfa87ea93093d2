import { LRUCache } from 'lru-cache'
import { accountKey } from './authorization.ts'
import { FailureCounts, type FailureLimit } from './failure-counts.ts'

/** An attempt to sign in with a password. */
export interface SignIn {
  /** The network of the client: `networkOf` its address. */
  readonly network: string
  /** The presented name or e-mail address, whether or not such an account exists. */
  readonly login: string
}

/** The limit that a failure reached. */
type ReachedLimit = 'network and login' | 'network' | 'login'

const limits = {
  pair: { failures: 10, forgottenAfter: 30_000 },
  network: { failures: 30, forgottenAfter: 10_000 },
  login: { failures: 100, forgottenAfter: 10_000 },
} satisfies Record<string, FailureLimit>

/** Failures that one network is allowed on a login that fails from many networks. */
const allowedUnderAttack = 3

/** Maximum number of remembered pairs of network and login that have signed in. */
const maxKnown = 10_000

/** No name or e-mail address is longer; longer logins need not be distinguished. */
const maxLoginLength = 320

/** `user` is the user name of Basic credentials. */
export function signInOf(user: string, network: string): SignIn {
  return { network, login: accountKey(user).key.slice(0, maxLoginLength) }
}

/**
 * Limits failed sign-ins, in the memory of one process:
 *
 * - from one network to one login;
 * - from one network to all logins, except those that have signed in from there before;
 * - to one login from all networks. This limit alone refuses nothing, or an attacker could lock an owner out. It only
 *   lowers the first limit, for networks from which this login has not signed in before.
 *
 * Unknown logins are counted like any other, so that the answers do not reveal which accounts exist. For the same
 * reason logins are counted as they are presented: a name and an e-mail address of one account count separately.
 */
export class SignInThrottle {
  readonly #pairs = new FailureCounts(limits.pair)
  readonly #networks = new FailureCounts(limits.network)
  readonly #logins = new FailureCounts(limits.login)
  /** Pairs that have signed in. */
  readonly #known = new LRUCache<string, true>({ max: maxKnown })

  /** Milliseconds until this sign-in may be tried again; 0: now. */
  wait(signIn: SignIn, now: Date): number {
    const pair = pairOf(signIn)
    if (this.#known.has(pair)) return this.#pairs.wait(pair, now)
    const isUnderAttack = this.#logins.wait(signIn.login, now) > 0
    const allowed = isUnderAttack ? allowedUnderAttack : limits.pair.failures
    return Math.max(this.#pairs.wait(pair, now, allowed), this.#networks.wait(signIn.network, now))
  }

  /** Whether this login has signed in from this network since the start of the process. */
  isKnown(signIn: SignIn): boolean {
    return this.#known.has(pairOf(signIn))
  }

  /** Counts a failure. Returns the limits that it reaches. */
  failed(signIn: SignIn, now: Date): ReachedLimit[] {
    const reached: ReachedLimit[] = []
    if (this.#pairs.add(pairOf(signIn), now)) reached.push('network and login')
    if (this.#networks.add(signIn.network, now)) reached.push('network')
    if (this.#logins.add(signIn.login, now)) reached.push('login')
    return reached
  }

  /**
   * Clears only the count of the pair; otherwise an attacker could reset the limits of a network with an account of
   * their own.
   */
  succeeded(signIn: SignIn): void {
    const pair = pairOf(signIn)
    this.#pairs.clear(pair)
    this.#known.set(pair, true)
  }
}

const pairOf = ({ network, login }: SignIn) => `${network} ${login}`
