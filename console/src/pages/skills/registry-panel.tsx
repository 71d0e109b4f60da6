import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { formatBytes, formatInstant } from '../../model/format';
import { Badge, Button, CodeBlock, KeyValues, Loaded, Notice, SidePanel, toastError } from '../../ui';
import { DownloadIcon } from '../../ui/icon';
import { publishedQuery } from './queries';
import styles from './skills.module.css';

interface RegistryPanelProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onInstalled: (id: string) => void;
}

/** A published skill, to be read before it is installed. */
export function RegistryPanel({ id, onClose, onInstalled }: RegistryPanelProps) {
  const client = useQueryClient();
  const skill = useQuery(publishedQuery(id));
  const [busy, setBusy] = useState(false);
  const install = async (): Promise<void> => {
    setBusy(true);
    try {
      const copy = await api.skills.install({ body: { id } });
      await client.invalidateQueries({ queryKey: ['skills'] });
      onInstalled(copy.id);
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <SidePanel
      title={skill.data?.name ?? 'Published skill'}
      aside={skill.data && <Badge>{skill.data.version}</Badge>}
      onClose={onClose}
    >
      <Loaded query={skill}>
        {({ description, publisher, published_at, license, installs, instructions, files, versions }) => (
          <>
            <p>{description}</p>
            <Notice tone="warn">Your models will follow these instructions. Read them first.</Notice>
            <div className={styles.actions}>
              <Button edits kind="primary" icon={DownloadIcon} busy={busy} onClick={() => void install()}>
                Install
              </Button>
            </div>
            <KeyValues
              rows={[
                ['Published by', publisher.name],
                ['Published', formatInstant(Date.parse(published_at))],
                ['License', license],
                ['Workspaces that have it', installs],
                ['Versions', versions.map(({ version }) => version).join(', ')],
              ]}
            />
            <CodeBlock text={instructions} wrap label="Instructions" />
            {files.length > 0 && (
              <ul className={styles.list} aria-label="Files">
                {files.map(({ path, size }) => (
                  <li key={path} className={styles.row}>
                    <code>{path}</code>
                    <span className="cell-muted">{formatBytes(size)}</span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </SidePanel>
  );
}
