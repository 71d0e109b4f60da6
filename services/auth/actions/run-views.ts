import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { Handlers } from '../../../mixins/service';
import { type AuthDeps, person } from '../deps';
import { noSuchMember } from '../team/membership';

/** Saved views of the list of runs, which are part of the user's record. */
export const runViewActions = ({ models }: AuthDeps): Pick<Handlers<'auth'>, 'run_views' | 'put_run_views'> => ({
  async run_views({ principal }) {
    const { user_id: id, tenant_id: tenantId } = person(principal);
    const user = await ofTenant(models.users, tenantId).findOne({ _id: id });
    if (user === null) throw noSuchMember();
    return user.run_views ?? { views: [], revision: 0 };
  },
  async put_run_views({ params: { views, revision }, principal }) {
    const { user_id: id, tenant_id: tenantId } = person(principal);
    const names = new Set(views.map(({ name }) => name));
    if (names.size < views.length)
      throw new AppError('invalid_request', 'Two views have the same name; each needs a name of its own');
    const next = { views, revision: revision + 1 };
    const unchanged = revision === 0 ? { run_views: null } : { 'run_views.revision': revision };
    if (
      (await ofTenant(models.users, tenantId).update({ _id: id, ...unchanged }, { $set: { run_views: next } })) === null
    )
      throw new AppError('conflict', 'The views were changed elsewhere; read them again, and repeat the change');
    return next;
  },
});
