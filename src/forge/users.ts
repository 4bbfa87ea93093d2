import { signedIn, userSeen } from './access.ts'
import { nameParam } from './query.ts'
import { route } from './route.ts'
import { printUser, User } from './user.shape.ts'

const showSelf = route(
  'GET /user',
  { summary: 'The user who asks', access: signedIn('user'), returns: [200, User] },
  ({ caller: { me }, from }) => printUser(me, me, from.host),
)

const showUser = route(
  'GET /users/{username}',
  {
    summary: 'A user',
    access: userSeen('username', 'user'),
    params: { username: nameParam },
    returns: [200, User],
  },
  ({ caller: { me, subject }, from }) => printUser(subject, me, from.host),
)

export const userRoutes = [showSelf, showUser]
