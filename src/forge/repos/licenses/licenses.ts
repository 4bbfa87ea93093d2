import * as v from 'valibot'
import { found } from '../../../http/route/problem.ts'
import { json } from '../../../http/route/sends.ts'
import { route } from '../../route.ts'
import { codeSeen } from '../access.ts'
import { repositoryById } from '../repo-store.ts'

export const repoGetLicenses = route('GET /repos/{owner}/{repo}/licenses', {
  summary: 'SPDX names of the licences in the root folder of the default branch',
  access: codeSeen(),
  fails: [404],
  returns: json(200, v.array(v.string())),
  shared: 'until written',
  handler: async ({ caller, sql }) => found(await repositoryById(sql, caller.repo.id)).licenses,
})
