import type { Access } from '../../http/route/route.ts'
import type { ForgeTools } from '../route.ts'

/**
 * The same access rule, whose caller also has what `more` returns: an operation that exists at several scopes, such as
 * those of webhooks, learns from it whose resources its path is about.
 */
export function extendCaller<Who, More>(
  access: Access<Who, ForgeTools>,
  more: (caller: Who) => More,
): Access<Who & More, ForgeTools> {
  return {
    ...access,
    admit: async (context) => {
      const caller = await access.admit(context)
      return { ...caller, ...more(caller) }
    },
  }
}
