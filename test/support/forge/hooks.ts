import type { HookDraft } from '../../../src/forge/webhooks/hook-store.ts'

/** A system webhook for everything, unless said otherwise. */
export const hookDraft = (url: string, more: Partial<HookDraft> = {}): HookDraft => ({
  scope: { kind: 'system' },
  name: '',
  type: 'gitea',
  url,
  content_type: 'json',
  method: 'POST',
  options: {},
  all_events: true,
  events: [],
  branch_filter: '',
  active: true,
  secret: '',
  authorization: '',
  ...more,
})
