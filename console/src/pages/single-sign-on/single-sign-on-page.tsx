import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../app/queries';
import { Card, EmptyState, Loaded, Page, SkeletonRows } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { Address } from './address';
import { ProvisioningCard } from './provisioning-card';
import { ssoQuery } from './queries';
import { singleSignOnRoute } from './route';
import { SettingsCard } from './settings-card';
import styles from './single-sign-on.module.css';
import { TestCard } from './test-card';

/** How members sign in by an identity provider, a test of it, and the provisioning of users and groups. */
export function SingleSignOnPage() {
  const me = useMe();
  return (
    <Page
      title="Single sign-on"
      description="Members sign in with your identity provider, by OpenID Connect or SAML. It can also create and deactivate them and give them roles by its groups."
      narrow
    >
      <Loaded query={me} skeleton={<SkeletonRows rows={4} label="Loading single sign-on" />}>
        {({ role, tenant }) =>
          role === 'owner' ? (
            <Parts slug={tenant.slug} />
          ) : (
            <Card>
              <EmptyState icon={KeyIcon} title="Owners set up single sign-on">
                Ask an owner of the workspace to connect the identity provider.
              </EmptyState>
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function Parts({ slug }: { readonly slug: string }) {
  const settings = useQuery(ssoQuery);
  const { test } = singleSignOnRoute.useSearch();
  return (
    <Loaded query={settings} skeleton={<SkeletonRows rows={6} label="Loading single sign-on" />}>
      {(config) => {
        const callback = config?.callback_url ?? `${location.origin}/api/v1/auth/sso/callback`;
        const entity =
          config?.metadata_url ?? `${location.origin}/api/v1/auth/sso/metadata?tenant_slug=${encodeURIComponent(slug)}`;
        return (
          <>
            <Card title="1. At the identity provider" description="Create an application there with these addresses.">
              <div className={styles.stack}>
                <Address label="Redirect URI of OpenID Connect, assertion consumer service of SAML" text={callback} />
                <Address label="Entity id and metadata of SAML; the NameID is the e-mail address" text={entity} />
              </div>
            </Card>
            <SettingsCard config={config} />
            <TestCard id={test ?? null} isSetUp={config !== null} />
            <ProvisioningCard base={callback.replace(/\/api\/v1\/.*$/, '/scim/v2')} />
          </>
        );
      }}
    </Loaded>
  );
}
