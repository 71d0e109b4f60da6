import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client';
import { queryClient } from '../../app/queries';
import { type Template, TEMPLATES } from '../../model/templates';
import { Button, Card, toastError } from '../../ui';
import { ApprovalsIcon, type Icon, PlayIcon, RunsIcon, WorkflowIcon } from '../../ui/icon';
import { NEW_ID } from '../editor/route';
import styles from './home.module.css';

const ICONS: readonly Icon[] = [WorkflowIcon, ApprovalsIcon, RunsIcon];

/** For a workspace without workflows: templates that run with one click. */
export function FirstWorkflow() {
  const navigate = useNavigate();
  const [running, setRunning] = useState<string | null>(null);
  const run = (template: Template): void => {
    setRunning(template.name);
    start(template)
      .then((id) => navigate({ to: '/runs/$id', params: { id } }))
      .catch(toastError)
      .finally(() => setRunning(null));
  };
  return (
    <section className={styles.first}>
      <div>
        <h2>Run your first workflow</h2>
        <p className="cell-muted">
          Each of these is created in your workspace and started at once. You can change it later.
        </p>
      </div>
      <ul className={styles.templates}>
        {TEMPLATES.map((template, index) => {
          const Glyph = ICONS[index] ?? WorkflowIcon;
          return (
            <li key={template.name}>
              <Card className={styles.template}>
                <Glyph size={20} aria-hidden="true" />
                <h3>{template.name}</h3>
                <p>{template.description}</p>
                <Button
                  edits
                  icon={PlayIcon}
                  kind={index === 0 ? 'primary' : 'secondary'}
                  busy={running === template.name}
                  disabled={running !== null && running !== template.name}
                  aria-label={`Create and run: ${template.name}`}
                  onClick={() => run(template)}
                >
                  Create and run
                </Button>
              </Card>
            </li>
          );
        })}
      </ul>
      <p>
        Or{' '}
        <Link to="/workflows/$id" params={{ id: NEW_ID }}>
          build one in the editor
        </Link>
        .
      </p>
    </section>
  );
}

/** Resolves to the id of the run. */
async function start({ name, description, dsl, body }: Template): Promise<string> {
  const { id } = await api.workflows.create({ body: { name, description, dsl } });
  const run = await api.workflows.trigger({ id, body: { body } });
  await queryClient.invalidateQueries();
  return run.id;
}
