import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RUN_VIEWS } from '../../model/run-query';
import { renamedView, type RunView, withoutView, withView } from '../../model/run-views';
import { ActionList, Button, Form, IconButton, Popover, TextField, toast, toastError } from '../../ui';
import { DeleteIcon, EditIcon, MoreIcon, PlusIcon } from '../../ui/icon';
import styles from './runs.module.css';
import { savedViewsQuery, useChangeViews } from './saved-views';

const MAX_NAME_CHARS = 60;

interface RunViewsProps {
  /** What is shown. */
  readonly query: string;
  readonly trials: boolean;
  readonly onShow: (query: string, trials: boolean) => void;
}

/** Views of the list: those that every workspace has, those that the user has saved, and what is shown as a new one. */
export function RunViews({ query, trials, onShow }: RunViewsProps) {
  const saved = useQuery(savedViewsQuery).data?.views ?? [];
  const isShown = (view: Omit<RunView, 'name'>): boolean => view.query === query && view.trials === trials;
  const open = saved.find(isShown);
  const isKnown = open !== undefined || RUN_VIEWS.some((view) => isShown({ query: view.query, trials: false }));
  return (
    <div className={styles.views} role="group" aria-label="Views">
      {RUN_VIEWS.map((view) => (
        <button
          key={view.label}
          type="button"
          className={styles.view}
          aria-pressed={isShown({ query: view.query, trials: false })}
          onClick={() => onShow(view.query, false)}
        >
          {view.label}
        </button>
      ))}
      {saved.map((view) => (
        <button
          key={view.name}
          type="button"
          className={styles.view}
          aria-pressed={view === open}
          title={view.query}
          onClick={() => onShow(view.query, view.trials)}
        >
          {view.name}
        </button>
      ))}
      {open !== undefined && <ViewActions key={open.name} view={open} />}
      {!isKnown && <SaveView query={query} trials={trials} />}
    </div>
  );
}

function SaveView({ query, trials }: { readonly query: string; readonly trials: boolean }) {
  const change = useChangeViews();
  return (
    <Popover
      label="Save this view"
      trigger={(props) => (
        <Button {...props} size="small" kind="ghost" icon={PlusIcon}>
          Save this view
        </Button>
      )}
    >
      {(close) => (
        <NameForm
          label="Save this view"
          action="Save"
          onName={async (name) => {
            await change((views) => withView(views, { name, query, trials }));
            toast(`The view ${name} is saved`);
            close();
          }}
        />
      )}
    </Popover>
  );
}

function ViewActions({ view: { name } }: { readonly view: RunView }) {
  const change = useChangeViews();
  const [renaming, setRenaming] = useState(false);
  const remove = (): void => {
    change((views) => withoutView(views, name)).then(() => toast(`The view ${name} is deleted`), toastError);
  };
  return (
    <Popover
      label={`Actions of the view ${name}`}
      trigger={(props) => <IconButton {...props} size="small" icon={MoreIcon} label={`Actions of the view ${name}`} />}
    >
      {(close) =>
        renaming ? (
          <NameForm
            label="Rename the view"
            action="Rename"
            value={name}
            onName={async (next) => {
              await change((views) => renamedView(views, name, next));
              setRenaming(false);
              close();
            }}
          />
        ) : (
          <ActionList
            close={() => undefined}
            actions={[
              { label: 'Rename', icon: EditIcon, onSelect: () => setRenaming(true) },
              {
                label: 'Delete',
                icon: DeleteIcon,
                danger: true,
                onSelect: () => {
                  close();
                  remove();
                },
              },
            ]}
          />
        )
      }
    </Popover>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly action: string;
  readonly value?: string;
  readonly onName: (name: string) => Promise<void>;
}

function NameForm({ label, action, value = '', onName }: NameFormProps) {
  return (
    <Form label={label} className={styles.nameForm} onSubmit={({ name = '' }) => onName(name.trim())}>
      {({ busy }) => (
        <>
          <TextField name="name" label="Name" defaultValue={value} maxLength={MAX_NAME_CHARS} autoFocus />
          <Button type="submit" kind="primary" busy={busy}>
            {action}
          </Button>
        </>
      )}
    </Form>
  );
}
