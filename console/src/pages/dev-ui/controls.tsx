import { useState } from 'react';
import {
  AnchorButton,
  Badge,
  Button,
  Card,
  Checkbox,
  classes,
  Count,
  Field,
  Form,
  IconButton,
  Input,
  LinkButton,
  Notice,
  PasswordInput,
  SearchInput,
  Select,
  Status,
  Switch,
  Textarea,
  TextField,
  Toolbar,
} from '../../ui';
import { DeleteIcon, ExternalIcon, MoreIcon, PlayIcon, PlusIcon } from '../../ui/icon';
import styles from './dev-ui.module.css';

const ENVIRONMENTS = [
  { value: 'dev', label: 'Development' },
  { value: 'production', label: 'Production' },
];
const STATUSES = ['running', 'completed', 'failed', 'cancelled', 'waiting', 'queued', 'disabled'];

/** Buttons, fields, forms, words about a state. */
export function Controls() {
  const [on, setOn] = useState(true);
  return (
    <>
      <Card title="Buttons">
        <div className={styles.rows}>
          <Toolbar>
            <Button kind="primary" icon={PlusIcon}>
              New workflow
            </Button>
            <Button icon={PlayIcon}>Run</Button>
            <Button kind="ghost">Cancel</Button>
            <Button kind="danger" icon={DeleteIcon}>
              Delete
            </Button>
            <Button kind="primary" busy>
              Saving
            </Button>
            <Button disabled>Not now</Button>
            <IconButton icon={MoreIcon} label="More" />
          </Toolbar>
          <Toolbar>
            <Button kind="primary" size="small">
              Small
            </Button>
            <Button size="small">Small</Button>
            <Button size="large">Large</Button>
            <LinkButton to="/">Link to a page</LinkButton>
            <AnchorButton href="/docs" icon={ExternalIcon}>
              Other link
            </AnchorButton>
          </Toolbar>
        </div>
      </Card>
      <Card title="Fields">
        <div className={styles.fields}>
          <Field label="Name" hint="Shown in lists">
            <Input placeholder="Order intake" />
          </Field>
          <Field label="Schedule" error="Five fields are needed, and this has four">
            <Input defaultValue="0 8 * *" code />
          </Field>
          <Field label="Environment">
            <Select options={ENVIRONMENTS} />
          </Field>
          <Field label="Password">
            <PasswordInput defaultValue="correct horse" />
          </Field>
          <Field label="Description" optional>
            <Textarea placeholder="What it is for" />
          </Field>
          <Field label="Not to be changed">
            <Input readOnly defaultValue="order-intake" />
          </Field>
          <SearchInput label="Search workflows" />
          <div className={styles.checks}>
            <Checkbox label="Include ended runs" defaultChecked />
            <Checkbox label="Also notify by mail" />
            <Switch label={on ? 'Enabled' : 'Disabled'} checked={on} onChange={() => setOn(!on)} />
          </div>
        </div>
      </Card>
      <Card title="Form" description="Errors of the request are shown in it.">
        <Form
          onSubmit={() => Promise.reject(new Error('The server refuses everything on this page'))}
          label="Example"
          className={styles.narrow}
        >
          {({ busy }) => (
            <>
              <TextField name="name" label="Name" defaultValue="Ada" />
              <div className="form-actions">
                <Button kind="primary" type="submit" busy={busy}>
                  Save
                </Button>
              </div>
            </>
          )}
        </Form>
      </Card>
      <Card title="Status, badge, count, notice">
        <div className={styles.rows}>
          <div className={styles.row}>
            {STATUSES.map((status) => (
              <Status key={status} status={status} />
            ))}
          </div>
          <div className={styles.row}>
            <Badge>Free</Badge>
            <Badge tone="ok">Published</Badge>
            <Badge tone="info">Trial</Badge>
            <Badge tone="warn">Draft</Badge>
            <Badge tone="danger">Expired</Badge>
            <Count value={3} label="waiting" />
            <Count value={120} label="waiting" />
          </div>
          <Notice>Runs are kept for seven days on this plan.</Notice>
          <Notice tone="ok">The workflow is published.</Notice>
          <Notice tone="warn" actions={<Button size="small">Compare</Button>}>
            Another user has saved this workflow since you opened it.
          </Notice>
          <Notice tone="danger" className={classes(styles.narrow)}>
            The connection was refused.
          </Notice>
        </div>
      </Card>
    </>
  );
}
