import { useQueryClient } from '@tanstack/react-query';
import { api, type SkillView } from '../../api/client';
import { useIsAdmin } from '../../app/roles';
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  Notice,
  RelativeTime,
  Select,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { VersionsIcon } from '../../ui/icon';
import styles from './skills.module.css';

const BUMPS = [
  { value: 'patch', label: 'Patch: corrections' },
  { value: 'minor', label: 'Minor: additions' },
  { value: 'major', label: 'Major: changes how it is used' },
] as const;

/** Versions in the registry, and the publication of the skill as it is now. */
export function SkillVersions({ skill }: { readonly skill: SkillView }) {
  const client = useQueryClient();
  const isAdmin = useIsAdmin();
  const { id, source, publication } = skill;
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['skills'] });
  const withdraw = async (version: string): Promise<void> => {
    try {
      await api.skills.unpublish({ id, body: { version } });
      await reload();
      toast(`Version ${version} is taken out of the registry`);
    } catch (error) {
      toastError(error);
    }
  };
  const versions = publication?.versions ?? [];
  return (
    <div className={styles.stack}>
      {source !== null && <Notice>An installed skill cannot be published again.</Notice>}
      {source === null && isAdmin && (
        <Card
          title="Publish"
          description="Every workspace of this installation can then read and install it. A version never changes."
        >
          <Form
            label="Publish"
            onSubmit={async ({ bump = 'patch', notes = '' }) => {
              const part = BUMPS.find(({ value }) => value === bump)?.value ?? 'patch';
              const after = await api.skills.publish({
                id,
                body: { ...(versions.length === 0 ? {} : { bump: part }), ...(notes === '' ? {} : { notes }) },
              });
              await reload();
              toast(`Version ${after.publication?.version ?? ''} is published`);
            }}
          >
            {({ busy }) => (
              <>
                {versions.length > 0 && (
                  <Field label="Next version">
                    <Select name="bump" options={BUMPS} defaultValue="patch" />
                  </Field>
                )}
                <TextField name="notes" label="What has changed" optional />
                <div className={styles.actions}>
                  <Button type="submit" busy={busy}>
                    Publish
                  </Button>
                </div>
              </>
            )}
          </Form>
        </Card>
      )}
      <Card flush title="Versions">
        {versions.length === 0 ? (
          <EmptyState icon={VersionsIcon} title="Nothing is published">
            Steps use the skill as it is when they begin.
          </EmptyState>
        ) : (
          <ul className={styles.list} aria-label="Versions">
            {versions.map(({ version, notes, published_at: at, withdrawn_at: withdrawn }) => (
              <li key={version} className={styles.row}>
                <strong>{version}</strong>
                <span className={styles.path}>{notes}</span>
                <span className="cell-muted">
                  <RelativeTime at={at} />
                </span>
                {withdrawn !== null ? (
                  <Badge>Withdrawn</Badge>
                ) : (
                  isAdmin && (
                    <Button size="small" aria-label={`Withdraw ${version}`} onClick={() => void withdraw(version)}>
                      Withdraw
                    </Button>
                  )
                )}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}
