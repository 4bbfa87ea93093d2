import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRepositoryFile } from '../../src/backup/archive.ts'

test('a backup holds every ref, whatever its name', () => {
  for (const name of ['tmp_fix', 'incoming-work', 'multi-pack-index', 'commit-graph', 'feature/tmp_x'])
    assert.ok(isRepositoryFile(`refs/heads/${name}`), name)
})

test('a backup leaves out what git has not finished or makes again', () => {
  const paths = [
    ...[
      'objects/tmp_obj_1',
      'objects/ab/tmp_obj_x',
      'objects/incoming-1/pack/pack-1.pack',
      'objects/pack/tmp_pack_1',
    ],
    ...['objects/pack/multi-pack-index', 'objects/info/commit-graph', 'objects/info/commit-graphs/x.graph'],
    ...['refs/heads/main.lock', 'packed-refs.lock', 'hooks/update', 'logs/HEAD', 'FETCH_HEAD'],
    ...['objects/info/alternates', 'objects/info/http-alternates', 'commondir', 'worktrees/a/HEAD'],
    ...['config.worktree', 'modules/a/config', 'gitdir'],
  ]
  assert.deepEqual(paths.filter(isRepositoryFile), [])
})

test('a path that leaves the repository is no file of it', () => {
  const paths = [
    'refs/../../x',
    'refs//x',
    '/refs/x',
    'refs/./x',
    'refs/a\\b',
    'refs/a\0b',
    `refs/${'a'.repeat(4000)}`,
    '',
  ]
  assert.deepEqual(paths.filter(isRepositoryFile), [])
})
