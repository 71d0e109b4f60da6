import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { brandPalette } from '../../../../lib/brand-colors';
import { api, type BrandingView } from '../../api/client';
import { brandingQuery } from '../../app/branding';
import { useIsAdmin } from '../../app/roles';
import { Button, Card, Field, Form, Input, Loaded, Notice, Page, TextField, toast } from '../../ui';
import styles from './branding.module.css';
import { LogoField, type LogoDraft } from './logo-field';
import { Preview } from './preview';

const PRODUCT_COLOR = '#4458d8';

/** Name, logo and colour of the pages for visitors. */
export function BrandingPage() {
  const branding = useQuery(brandingQuery);
  return (
    <Page
      title="Branding"
      description="Name, logo and colour on the pages that need no account: forms, links of approvals, and chats. Texts stay readable with any colour."
    >
      <Loaded query={branding}>{(data) => <BrandingForm key={data.updated_at} branding={data} />}</Loaded>
    </Page>
  );
}

/** What is shown, whether it is saved or not. */
interface Draft {
  readonly name: string;
  readonly color: string;
  readonly logo: LogoDraft;
}

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

function BrandingForm({ branding }: { readonly branding: BrandingView }) {
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const [draft, setDraft] = useState<Draft>({
    name: branding.name ?? '',
    color: branding.color ?? '',
    logo: { src: branding.logo?.path ?? null, data: undefined },
  });
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const { name, color, logo } = draft;
  const palette = brandPalette(isColor(color) ? color.toLowerCase() : PRODUCT_COLOR);
  const save = async (): Promise<void> => {
    const body = {
      name: name.trim() === '' ? null : name,
      color: color === '' ? null : color,
      ...(logo.data !== undefined && { logo: logo.data }),
    };
    const changed = await api.auth.update_branding({ body });
    client.setQueryData(brandingQuery.queryKey, changed);
    toast('The public pages have the new branding');
  };
  return (
    <div className={styles.layout}>
      <Card title="Workspace">
        {!isAdmin && <Notice>Admins change the branding.</Notice>}
        <Form label="Branding" onSubmit={save}>
          {({ busy }) => (
            <>
              <TextField
                name="name"
                label="Name"
                optional
                maxLength={100}
                readOnly={!isAdmin}
                value={name}
                onChange={(next) => change({ name: next })}
              />
              <Field label="Colour" hint="# and six hexadecimal digits; empty for the colour of the product." optional>
                <span className={styles.color}>
                  <input
                    type="color"
                    className={styles.swatch}
                    aria-label="Choose the colour"
                    disabled={!isAdmin}
                    value={isColor(color) ? color : PRODUCT_COLOR}
                    onChange={(event) => change({ color: event.currentTarget.value })}
                  />
                  <Input
                    code
                    name="color"
                    placeholder={PRODUCT_COLOR}
                    pattern="#[0-9a-fA-F]{6}"
                    readOnly={!isAdmin}
                    value={color}
                    onChange={(event) => change({ color: event.currentTarget.value })}
                  />
                </span>
              </Field>
              <LogoField logo={logo} readOnly={!isAdmin} onChange={(next) => change({ logo: next })} />
              {isAdmin && (
                <div className="form-actions">
                  <Button type="submit" kind="primary" busy={busy}>
                    Save
                  </Button>
                </div>
              )}
            </>
          )}
        </Form>
      </Card>
      <Card title="Preview" description="How visitors see it, by the theme of their system.">
        <div className={styles.previews}>
          <Preview theme="light" name={name} logo={logo.src} palette={palette} />
          <Preview theme="dark" name={name} logo={logo.src} palette={palette} />
        </div>
      </Card>
    </div>
  );
}
