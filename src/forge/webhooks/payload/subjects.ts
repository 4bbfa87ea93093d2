/** The members of a printed repository that we read; payloads contain all of them. */
export interface RepositoryFacts {
  readonly full_name: string
  readonly html_url: string
  readonly clone_url: string
}

/** A user or organization as replies print them. */
export interface UserFacts {
  readonly login: string
  readonly full_name: string
  readonly avatar_url: string
  readonly html_url: string
}
