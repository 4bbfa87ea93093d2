import type { Access } from '../../http/route/route.ts'
import type { ForgeTools } from '../route.ts'

/**
 * The same access check, whose caller also has `more`: for operations that exist at several scopes, such as those of
 * webhooks, whose resources the path of each is about.
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
