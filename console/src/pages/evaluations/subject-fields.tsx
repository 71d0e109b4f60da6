import { useQuery } from '@tanstack/react-query';
import type { VersionRow } from '../../api/client';
import { Field, Select, TextField } from '../../ui';
import { datasetTagsQuery, documentQuery, versionsQuery } from './queries';
import styles from './evaluations.module.css';

/** What is evaluated, over what. */
export interface Subject {
  readonly workflow: string;
  /** `live`, `draft` or the number of a version. */
  readonly version: string;
  readonly dataset: string;
}

export interface Choices {
  readonly workflows: readonly { readonly id: string; readonly name: string }[];
  readonly datasets: readonly { readonly id: string; readonly name: string; readonly rows: number }[];
}

interface SubjectProps {
  readonly choices: Choices;
  readonly subject: Subject;
  readonly onChange: (subject: Subject) => void;
}

/** The workflow with its version, the data set with the tag of its rows, and the name of the evaluation. */
export function SubjectFields({ choices: { workflows, datasets }, subject, onChange }: SubjectProps) {
  const { workflow, version, dataset } = subject;
  const versions = useQuery(versionsQuery(workflow));
  const document = useQuery(documentQuery(workflow, version));
  const tags = useQuery(datasetTagsQuery(dataset));
  const hasNoDraft = version === 'draft' && document.data === null;
  return (
    <div className={styles.fields}>
      <Field label="Workflow">
        <Select
          name="workflow_id"
          options={workflows.map(({ id, name }) => ({ value: id, label: name }))}
          value={workflow}
          onChange={({ currentTarget: { value } }) => onChange({ ...subject, workflow: value, version: 'live' })}
        />
      </Field>
      <Field label="Document" error={hasNoDraft ? 'This workflow has no draft.' : null}>
        <Select
          name="version"
          options={[...SAVED, ...(versions.data?.data ?? []).map(versionOption)]}
          value={version}
          onChange={({ currentTarget: { value } }) => onChange({ ...subject, version: value })}
        />
      </Field>
      <Field label="Data set">
        <Select
          name="dataset_id"
          options={datasets.map(({ id, name, rows }) => ({ value: id, label: `${name} (${rows})` }))}
          value={dataset}
          onChange={({ currentTarget: { value } }) => onChange({ ...subject, dataset: value })}
        />
      </Field>
      <Field label="Rows">
        <Select
          key={dataset}
          name="tag"
          options={[
            { value: '', label: 'All rows' },
            ...(tags.data?.tags ?? []).map(({ tag, rows }) => ({ value: tag, label: `Tag ${tag} (${rows})` })),
          ]}
        />
      </Field>
      <TextField name="name" label="Name" optional />
    </div>
  );
}

const SAVED = [
  { value: 'live', label: 'Live' },
  { value: 'draft', label: 'Draft' },
];

const versionOption = ({ version, message }: VersionRow) => ({
  value: String(version),
  label: message === null || message === '' ? `Version ${version}` : `Version ${version}: ${message}`,
});
