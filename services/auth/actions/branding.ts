import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { ofTenant } from '../../../lib/tenant';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { type Branding, BRANDING_KEY, type BrandingView } from '../../../contracts/auth/branding';
import { readLogo } from '../branding/logo';
import { type BrandingDoc, LOGO_PATH } from '../branding/model';
import type { AuthDeps } from '../deps';

type Actions = Pick<Handlers<'auth'>, 'branding' | 'update_branding' | 'public_branding' | 'logo'>;
type Change = Partial<Pick<BrandingDoc, 'name' | 'color' | 'logo'>>;

/** Name, logo and colour of the tenant's public pages. */
export function brandingActions(parts: AuthDeps): Actions {
  const { app } = parts;
  const model = parts.models.brandings;
  const find = (tenantId: string): Promise<BrandingDoc | null> => ofTenant(model, tenantId).findOne({ _id: tenantId });

  const store = async (tenantId: string, change: Change): Promise<void> => {
    const own = ofTenant(model, tenantId);
    const set = { ...change, updated_at: new Date(app.clock.now()) };
    const update = () => own.update({ _id: tenantId }, { $set: set });
    if ((await update()) !== null) return;
    try {
      await own.insert({ _id: tenantId, name: null, color: null, logo: null, ...set });
    } catch (fault) {
      // Another request has made it meanwhile.
      if (!isDuplicateKey(fault)) throw fault;
      await update();
    }
  };

  return {
    branding: async ({ tenantId }) => toView(await find(tenantId)),
    async update_branding(ctx) {
      const { params, tenantId } = ctx;
      const { name, color, logo } = params;
      const change: Change = {
        ...(name === undefined ? {} : { name }),
        ...(color === undefined ? {} : { color }),
        ...(logo === undefined ? {} : { logo: logo === null ? null : { id: randomId(), ...readLogo(logo) } }),
      };
      const before = await find(tenantId);
      if (Object.keys(change).length > 0) {
        const recorded = {
          action: 'branding.update',
          target: { type: 'tenant', id: tenantId, name: (await parts.tenantOf(tenantId)).name },
          before: shown(before),
          after: shown({ ...toFields(before), ...change }),
        };
        await app.audit.audited(auditedBy(ctx), recorded, () => store(tenantId, change));
        await parts.context?.invalidate(`${BRANDING_KEY}${tenantId}`);
      }
      return toView(await find(tenantId));
    },
    async public_branding({ tenantId }) {
      const { name, color, logo } = toView(await find(tenantId));
      return { name, color, logo };
    },
    async logo({ params: { id } }) {
      const found = await model.findOne({ 'logo.id': id }).lean<BrandingDoc>().exec();
      if (!found?.logo) throw new AppError('not_found', 'There is no logo at this address');
      return { content_type: found.logo.content_type, data: found.logo.data };
    },
  };
}

const toFields = (found: BrandingDoc | null): Pick<BrandingDoc, 'name' | 'color' | 'logo'> => ({
  name: found?.name ?? null,
  color: found?.color ?? null,
  logo: found?.logo ?? null,
});

const logoView = ({ id, content_type, width, height, size }: NonNullable<BrandingDoc['logo']>): Branding['logo'] => ({
  path: `${LOGO_PATH}${id}`,
  content_type,
  width,
  height,
  size,
});

function toView(found: BrandingDoc | null): BrandingView {
  const { name, color, logo } = toFields(found);
  return {
    name,
    color,
    logo: logo === null ? null : logoView(logo),
    updated_at: found?.updated_at.toISOString() ?? null,
  };
}

/** What the audit log has of it: the logo without the image. */
function shown(found: ReturnType<typeof toFields> | null) {
  const { name, color, logo } = found ?? { name: null, color: null, logo: null };
  return { name, color, logo: logo === null ? null : `${logo.content_type}, ${logo.size} bytes` };
}
