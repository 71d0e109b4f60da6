import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type CustomNodeView, type StepTestView } from '../../api/client';
import { CUSTOM_NODE_TEMPLATE, definitionOf } from '../../model/connectors';
import { parseJsonObject } from '../../model/json-input';
import {
  Badge,
  Button,
  ConfirmDialog,
  CopyText,
  EmptyState,
  Field,
  Form,
  FormFooter,
  type FormValues,
  JsonView,
  KeyValues,
  Loaded,
  Notice,
  RelativeTime,
  SidePanel,
  Status,
  Textarea,
  toast,
} from '../../ui';
import { ConnectorIcon, DeleteIcon, TryIcon } from '../../ui/icon';
import styles from './connectors.module.css';
import { customNodesQuery } from './queries';

interface CustomNodePanelProps {
  readonly type: string;
  readonly query: UseQueryResult<CustomNodeView[]>;
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

/** A custom node: its definition, a test with real effects, the end of it. */
export function CustomNodePanel({ type, query, isAdmin, onClose }: CustomNodePanelProps) {
  const found = query.data?.find((node) => node.type === type);
  return (
    <SidePanel
      title={found?.label ?? 'Custom node'}
      aside={found && <Badge>{`Version ${found.version}`}</Badge>}
      onClose={onClose}
    >
      <Loaded query={query}>
        {() =>
          found === undefined ? (
            <EmptyState icon={ConnectorIcon} title="No such custom node">
              It was deleted.
            </EmptyState>
          ) : (
            <>
              <KeyValues
                rows={[
                  ['In steps', <CopyText key="type" text={found.type} />],
                  ['Changed', <RelativeTime key="changed" at={found.updated_at} />],
                  ['Fields', found.config_fields.map(({ name }) => name).join(', ') || null],
                ]}
              />
              <Test node={found} />
              {isAdmin ? <Definition key={found.version} node={found} /> : <JsonView value={definitionOf(found)} />}
              {isAdmin && <Removal node={found} onRemoved={onClose} />}
            </>
          )
        }
      </Loaded>
    </SidePanel>
  );
}

function DefinitionField({ value }: { readonly value: object }) {
  return (
    <Field label="Definition" hint="Fields of the configuration, one HTTP request as a template, and the outputs.">
      <Textarea
        name="definition"
        code
        rows={18}
        required
        spellCheck={false}
        defaultValue={JSON.stringify(value, null, 2)}
      />
    </Field>
  );
}

function Definition({ node }: { readonly node: CustomNodeView }) {
  const client = useQueryClient();
  return (
    <Form
      label="Custom node"
      onSubmit={async ({ definition = '' }: FormValues) => {
        const { version } = await api.workflows.update_custom_node({
          type: node.type,
          body: parseJsonObject(definition),
        });
        await client.invalidateQueries({ queryKey: customNodesQuery.queryKey });
        toast(`Version ${version} is saved`);
      }}
    >
      {({ busy }) => (
        <>
          <DefinitionField value={definitionOf({ ...node })} />
          <p className="cell-muted">Steps that begin after it is saved use the new version.</p>
          <div className={styles.actions}>
            <Button type="submit" kind="primary" busy={busy}>
              Save
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

/** Sends the request as a step would. */
function Test({ node: { type, config_fields: fields } }: { readonly node: CustomNodeView }) {
  const [result, setResult] = useState<StepTestView | null>(null);
  const example = Object.fromEntries(fields.map((field) => [field.name, field.default ?? '']));
  return (
    <section className={styles.stack}>
      <h3>Try it</h3>
      <Form
        label="Try it"
        onSubmit={async ({ config = '' }) =>
          setResult(await api.workflows.test_custom_node({ type, body: { config: parseJsonObject(config) } }))
        }
      >
        {({ busy }) => (
          <>
            <Field label="Configuration" hint="The request is sent: what it changes is changed.">
              <Textarea
                name="config"
                code
                rows={4}
                spellCheck={false}
                defaultValue={JSON.stringify(example, null, 2)}
              />
            </Field>
            <div className={styles.actions}>
              <Button edits type="submit" icon={TryIcon} busy={busy}>
                Send the request
              </Button>
            </div>
          </>
        )}
      </Form>
      {result !== null && (
        <div className={styles.stack} aria-label="Result" role="group">
          <Status status={result.status} />
          {result.error !== null && <Notice tone="danger">{result.error.message}</Notice>}
          {result.output !== null && <JsonView value={result.output} />}
        </div>
      )}
    </section>
  );
}

function Removal({
  node: { type, label },
  onRemoved,
}: {
  readonly node: CustomNodeView;
  readonly onRemoved: () => void;
}) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const [asked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    try {
      await api.workflows.remove_custom_node({ type, ...(problem === null ? {} : { force: true }) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      throw error;
    }
    onRemoved();
    await client.invalidateQueries({ queryKey: customNodesQuery.queryKey });
  };
  return (
    <div className={styles.actions}>
      <Button icon={DeleteIcon} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {asked && (
        <ConfirmDialog
          title={`Delete ${label}?`}
          action={problem === null ? 'Delete the custom node' : 'Delete it all the same'}
          danger
          onClose={() => {
            setAsked(false);
            setProblem(null);
          }}
          onConfirm={remove}
        >
          Steps of this type fail from then on.
        </ConfirmDialog>
      )}
    </div>
  );
}

interface NewCustomNodePanelProps {
  readonly onClose: () => void;
  readonly onMade: (type: string) => void;
}

/** Declares a step type. */
export function NewCustomNodePanel({ onClose, onMade }: NewCustomNodePanelProps) {
  const client = useQueryClient();
  return (
    <SidePanel title="New custom node" onClose={onClose}>
      <Form
        label="New custom node"
        onSubmit={async ({ definition = '' }) => {
          const { type, label } = await api.workflows.create_custom_node({ body: parseJsonObject(definition) });
          await client.invalidateQueries({ queryKey: customNodesQuery.queryKey });
          toast(`${label} is saved`);
          onMade(type);
        }}
      >
        {({ busy }) => (
          <>
            <p className="cell-muted">
              A step type with fields of its own and one HTTP request. Begin with this example; <code>name</code>{' '}
              becomes the type <code>custom-name</code> and never changes.
            </p>
            <DefinitionField value={CUSTOM_NODE_TEMPLATE} />
            <FormFooter action="Save" busy={busy} onClose={onClose} />
          </>
        )}
      </Form>
    </SidePanel>
  );
}
