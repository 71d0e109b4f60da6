import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SkillView } from '../../api/client';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  Form,
  IconButton,
  Loaded,
  Notice,
  Page,
  SkeletonRows,
  Tabs,
  toast,
  toastError,
} from '../../ui';
import { DeleteIcon, DownloadIcon } from '../../ui/icon';
import { skillQuery } from './queries';
import { skillRoute } from './routes';
import { SkillFields } from './skill-fields';
import { SkillFiles } from './skill-files';
import { SkillTrial } from './skill-trial';
import { SkillVersions } from './skill-versions';
import styles from './skills.module.css';

const TABS = ['instructions', 'files', 'versions', 'try'] as const;

/** A skill: its instructions, files and versions, and a trial. */
export function SkillPage() {
  const { id } = skillRoute.useParams();
  const { show, file } = skillRoute.useSearch();
  const navigate = skillRoute.useNavigate();
  const skill = useQuery(skillQuery(id));
  if (skill.data === undefined)
    return (
      <Page title="Skill">
        <Card flush>
          <Loaded query={skill} skeleton={<SkeletonRows label="Loading the skill" />}>
            {() => null}
          </Loaded>
        </Card>
      </Page>
    );
  const { data } = skill;
  const tab = TABS.find((name) => name === show) ?? 'instructions';
  return (
    <Page
      title={data.name}
      aside={data.version !== null && <Badge>{data.version}</Badge>}
      description={data.description}
      actions={<Removal skill={data} />}
    >
      <Origin skill={data} />
      <Tabs
        label="Skill"
        tabs={[
          { key: 'instructions', label: 'Instructions' },
          { key: 'files', label: 'Files', count: data.files.length },
          { key: 'versions', label: 'Versions' },
          { key: 'try', label: 'Try' },
        ]}
        active={tab}
        onChange={(key) => void navigate({ search: { show: key }, replace: true })}
      >
        {tab === 'instructions' ? (
          <Instructions key={data.hash} skill={data} />
        ) : tab === 'files' ? (
          <SkillFiles
            skill={data}
            open={file}
            onOpen={(path) => void navigate({ search: { show: tab, ...(path === null ? {} : { file: path }) } })}
          />
        ) : tab === 'versions' ? (
          <SkillVersions skill={data} />
        ) : (
          <SkillTrial skill={data} />
        )}
      </Tabs>
    </Page>
  );
}

function Instructions({ skill }: { readonly skill: SkillView }) {
  const client = useQueryClient();
  return (
    <Card>
      <Form
        label="Skill"
        onSubmit={async ({ name = '', description = '', instructions = '' }) => {
          await api.skills.update({ id: skill.id, body: { name, description, instructions } });
          await client.invalidateQueries({ queryKey: ['skills'] });
          toast('The skill is saved');
        }}
      >
        {({ busy }) => (
          <>
            <SkillFields skill={skill} />
            <div className={styles.actions}>
              <Button edits type="submit" kind="primary" busy={busy}>
                Save
              </Button>
            </div>
          </>
        )}
      </Form>
    </Card>
  );
}

/** Where an installed skill came from, and the update that there is. */
function Origin({ skill: { id, source } }: { readonly skill: SkillView }) {
  const client = useQueryClient();
  if (source === null) return null;
  const { publisher, version, modified, withdrawn, update_available: update, id: origin } = source;
  const install = async (): Promise<void> => {
    try {
      await api.skills.install({ body: { id: origin, ...(modified ? { overwrite: true } : {}) } });
      await client.invalidateQueries({ queryKey: skillQuery(id).queryKey });
      toast(`Version ${update ?? ''} is installed`);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Notice
      tone={withdrawn ? 'warn' : 'info'}
      actions={
        update !== null && (
          <Button edits size="small" icon={DownloadIcon} onClick={() => void install()}>
            {modified ? `Replace by ${update}` : `Update to ${update}`}
          </Button>
        )
      }
    >
      {`Installed from ${publisher.name}, version ${version}${modified ? ', and changed here' : ''}.`}
      {withdrawn && ' It was taken out of the registry.'}
    </Notice>
  );
}

function Removal({ skill: { id, name } }: { readonly skill: SkillView }) {
  const client = useQueryClient();
  const navigate = skillRoute.useNavigate();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <IconButton edits icon={DeleteIcon} kind="secondary" label={`Delete ${name}`} onClick={() => setAsked(true)} />
      {asked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the skill"
          danger
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await api.skills.remove({ id, force: true });
            await navigate({ to: '/skills' });
            await client.invalidateQueries({ queryKey: ['skills', 'list'] });
          }}
        >
          Steps and agents that name it fail from then on. Runs that have begun with it keep it for 30 days.
        </ConfirmDialog>
      )}
    </>
  );
}
