import { json } from '../../../http/route/sends.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { signedInCodeSeen } from '../../repos/access.ts'
import { GenerateRepoOption } from '../../repos/repo.option.ts'
import { printRepository, Repository } from '../../repos/repo.shape.ts'
import { route } from '../../route.ts'
import { createRepository } from './creation.ts'
import { contentOfTemplate } from './template-content.ts'

export const generateRepo = route('POST /repos/{owner}/{repo}/generate', {
  summary: 'Create a repository from a template, with the parts that are named',
  access: signedInCodeSeen(),
  body: GenerateRepoOption,
  fails: [403, 404, 409, 422, 503, 507],
  returns: json(201, Repository),
  runsGit: true,
  handler: async (context) => {
    const plan = await contentOfTemplate(context)
    const view = { host: context.from.host, level: LEVELS.owner, known: true }
    return printRepository(await createRepository(context, plan), plan.owner, view)
  },
})
