import type { Visibility } from '../../forge/accounts/visibility.ts'

/** Who sees an account. */
export const visibilities: Readonly<Record<Visibility, string>> = {
  public: 'Everybody',
  limited: 'Everybody who is signed in',
  private: 'Members and administrators',
}
