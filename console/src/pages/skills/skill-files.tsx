import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SkillView } from '../../api/client';
import { formatBytes } from '../../model/format';
import { fileSize, type SkillFile, withFile } from '../../model/skills';
import {
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  IconButton,
  RowButton,
  Textarea,
  TextField,
  toast,
  toastError,
} from '../../ui';
import { DataIcon, DeleteIcon, PlusIcon } from '../../ui/icon';
import styles from './skills.module.css';

interface SkillFilesProps {
  readonly skill: SkillView;
  /** The path of the open file. */
  readonly open: string | undefined;
  readonly onOpen: (path: string | null) => void;
}

/** Scripts, references and assets of a skill. Texts can be changed. */
export function SkillFiles({ skill, open, onOpen }: SkillFilesProps) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const { id, files } = skill;
  const store = async (next: SkillFile[], message: string): Promise<void> => {
    await api.skills.update({ id, body: { files: next } });
    await client.invalidateQueries({ queryKey: ['skills'] });
    toast(message);
  };
  const shown = files.find(({ path }) => path === open);
  return (
    <div className={styles.files}>
      <Card
        flush
        title="Files"
        actions={
          <Button edits size="small" icon={PlusIcon} onClick={() => setAdding(true)}>
            Add a file
          </Button>
        }
      >
        {files.length === 0 ? (
          <EmptyState icon={DataIcon} title="No files">
            Scripts go into scripts/, texts to be read on demand into references/, others into assets/.
          </EmptyState>
        ) : (
          <ul className={styles.list} aria-label="Files">
            {files.map((file) => (
              <li key={file.path} className={styles.row} aria-current={file.path === open || undefined}>
                <span className={styles.path}>
                  <RowButton
                    onClick={() => {
                      setAdding(false);
                      onOpen(file.path);
                    }}
                  >
                    {file.path}
                  </RowButton>
                </span>
                <span className="cell-muted">{formatBytes(fileSize(file))}</span>
                <IconButton
                  edits
                  size="small"
                  icon={DeleteIcon}
                  label={`Delete ${file.path}`}
                  className={styles.above}
                  onClick={() => {
                    onOpen(null);
                    void store(
                      files.filter(({ path }) => path !== file.path),
                      `${file.path} is deleted`,
                    ).catch(toastError);
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Card>
      {(adding || shown !== undefined) && (
        <Card title={adding ? 'New file' : open}>
          {shown !== undefined && !adding && 'base64' in shown ? (
            <p className="cell-muted">This file is not a text, and is kept as it is.</p>
          ) : (
            <Form
              key={adding ? 'new' : `${open} ${skill.hash}`}
              label="File"
              onSubmit={async ({ path = open ?? '', content = '' }) => {
                await store(withFile(files, { path, content }), `${path} is saved`);
                setAdding(false);
                onOpen(path);
              }}
            >
              {({ busy }) => (
                <>
                  {adding && <TextField name="path" label="Path" placeholder="scripts/sum.js" autoFocus />}
                  <Field label="Content">
                    <Textarea
                      name="content"
                      code
                      rows={16}
                      spellCheck={false}
                      defaultValue={!adding && shown !== undefined && 'content' in shown ? shown.content : ''}
                    />
                  </Field>
                  <div className={styles.actions}>
                    <Button edits type="submit" kind="primary" busy={busy}>
                      Save
                    </Button>
                  </div>
                </>
              )}
            </Form>
          )}
        </Card>
      )}
    </div>
  );
}
