/** A repository of the account `owner`. */
export interface Repo {
  id: number
  name: string
}

/** The parameters of paths below it. */
export const at = (repo: Pick<Repo, 'name'>, more: Record<string, string | number> = {}) => ({
  owner: 'owner',
  repo: repo.name,
  ...more,
})
