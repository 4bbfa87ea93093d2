import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PushFilters } from '../../../src/actions/workflow/on.ts'
import { passesPush } from '../../../src/actions/workflow/push-filter.ts'

const [main, dev, tag] = ['refs/heads/main', 'refs/heads/dev/a', 'refs/tags/v1']
const all = [main, dev, tag, 'refs/notes/x']

/** Which of the refs a filter lets through, with these paths changed. */
function through(filters: Partial<PushFilters>, changed: readonly string[] = ['src/a.ts']): string[] {
  return all.filter((ref) => passesPush({ unknown: [], ...filters }, { ref, changed }))
}

const rows: readonly (readonly [Partial<PushFilters>, readonly string[], (readonly string[])?])[] = [
  [{}, all],
  [{ branches: ['main'] }, [main]],
  [{ branches: ['**'] }, [main, dev]],
  [{ branches: ['*'] }, [main]],
  [{ branches: ['**', '!dev/**'] }, [main]],
  [{ branches: ['!dev/**', '**'] }, [main, dev]],
  [{ branches: ['**', '!dev/**', 'dev/a'] }, [main, dev]],
  [{ branches: ['!main'] }, []],
  [{ branches: [] }, []],
  [{ branchesIgnore: ['dev/**'] }, [main]],
  [{ branchesIgnore: ['!main'] }, [main]],
  [{ branchesIgnore: [] }, [main, dev]],
  [{ tags: ['v*'] }, [tag]],
  [{ tags: ['w*'] }, []],
  [{ tagsIgnore: ['v*'] }, []],
  [{ tagsIgnore: ['w*'] }, [tag]],
  [{ branches: ['main'], tags: ['v1'] }, [main, tag]],
  [{ branches: ['main'], tagsIgnore: ['v1'] }, [main]],
  [{ branchesIgnore: ['main'], tags: ['w'] }, [dev]],
  [{ branches: ['**'], branchesIgnore: ['main'] }, [dev]],
  [{ paths: ['src/**'] }, all],
  [{ paths: ['docs/**'] }, [tag]],
  [{ paths: ['**', '!src/**'] }, [tag]],
  [{ paths: ['docs/**', 'src/*.ts'] }, all, ['docs/x', 'src/y.ts']],
  [{ pathsIgnore: ['src/**'] }, [tag]],
  [{ pathsIgnore: ['src/**'] }, all, ['src/a', 'README.md']],
  [{ pathsIgnore: ['!src/**'] }, all],
  [{ paths: ['src/**'], pathsIgnore: ['src/a.ts'] }, [tag]],
  [{ paths: ['src/**'] }, [tag], []],
  [{ pathsIgnore: ['docs/**'] }, [tag], []],
  [{ branches: ['main'], paths: ['src/**'] }, [main]],
  [{ branches: ['['] }, []],
  [{ branchesIgnore: ['['] }, []],
  [{ branchesIgnore: ['x'.repeat(1001)] }, []],
  [{ tags: ['['], branches: ['main'] }, [main]],
  [{ unknown: ['branch'] }, []],
]

for (const [filters, expected, changed] of rows) {
  const shown = `${JSON.stringify(filters)}${changed ? ` with ${JSON.stringify(changed)}` : ''}`
  test(`${shown} lets through ${expected.length === 0 ? 'nothing' : expected.join(', ')}`, () => {
    const refs = changed ? through(filters, changed) : through(filters)
    // Other refs have no branch and no tag; only path filters concern them.
    assert.deepEqual(refs, expected)
  })
}
