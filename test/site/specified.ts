import { siteApiFor } from '../../src/site/api.ts'
import { anyone } from '../../src/site/route.ts'

/** The site API as specified: everyone may publish. Without an event stream behind it. */
export const siteApi = siteApiFor(anyone, {
  feed: { serve: async () => {} },
  pictures: {
    receive: async () => Promise.reject(new Error('nothing is kept')),
    send: async () => async () => {},
  },
})
