/** What the text of a repository's replies must hold for us; whatever else it holds is sent along. */
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
