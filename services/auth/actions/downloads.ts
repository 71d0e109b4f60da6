import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { ofTenant } from '../../../lib/tenant';
import type { Handlers } from '../../../mixins/service';
import type { DownloadDoc } from '../models';
import { type AuthDeps, person } from '../deps';
import { newToken } from '../sessions/mail-tokens';

type Actions = Pick<Handlers<'auth'>, 'create_download' | 'redeem_download'>;

const LIFETIME_MS = 60_000;
/** Of a user, at a time. */
const MAX_LINKS = 50;

/** Bound to its link: in the record of another one it does not open. */
const purpose = (id: string) => ({
  purpose: 'everstep download',
  context: [id],
  what: 'credential of a download link',
});

/**
 * Links that download once. A link holds, sealed, the credential that asked for it: the download is a request with that
 * credential, so that its end, its role and its limits count when the link is used.
 */
export const downloadActions = ({ app, models }: AuthDeps): Actions => ({
  async create_download({ params, principal, tenantId }) {
    const { user_id } = person(principal);
    const now = app.clock.now();
    const links = ofTenant(models.downloads, tenantId);
    if ((await links.count({ user_id, expires_at: { $gt: new Date(now) } })) >= MAX_LINKS) {
      throw new AppError('rate_limited', `A user has at most ${MAX_LINKS} download links that are not used yet`, {
        retry_after: LIFETIME_MS / 1_000,
      });
    }
    const link = newToken();
    const id = sha256(link);
    const expires_at = new Date(now + LIFETIME_MS);
    const sealed = app.keyring.seal(purpose(id), params.token);
    await links.insert({ _id: id, user_id, path: params.path, ...sealed, expires_at });
    const base = app.config.baseUrl ?? params.origin ?? '';
    return { url: `${base}/api/v1/downloads/${link}`, expires_at: expires_at.toISOString() };
  },
  async redeem_download({ params: { link } }) {
    const valid = { _id: sha256(link), expires_at: { $gt: new Date(app.clock.now()) } };
    // Of two who use a link at once, one gets its record.
    const found: DownloadDoc | null = await models.downloads.findOneAndDelete(valid).lean();
    if (found === null) throw new AppError('not_found', 'The download link is unknown, was used or has expired');
    return { path: found.path, token: app.keyring.open(purpose(found._id), found).toString() };
  },
});
