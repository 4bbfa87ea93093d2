import { repoSeen } from '../../forge/repos/access.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { repositoryHome } from './home.ts'

export const getRepositoryPage = route('GET /{owner}/{repo}', {
  summary: 'A repository with its README, as a page',
  access: repoSeen(),
  ...pageReply,
  handler: (context) => repositoryHome(context),
})
