import { isObject, setValue } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Card } from '../../ui';
import { useEditor } from './editor-context';
import { textField, ValueField } from './value-field';

/** The schema of what the workflow is started with, and what it gives back. */
export function InputsField() {
  const { state, edit } = useEditor();
  const document = documentOf(state);
  return (
    <Card title="Input and output" description="Of the whole workflow.">
      <ValueField
        field={{
          ...textField('inputs', 'Input schema', 'JSON Schema of the trigger payload; other starts are refused.'),
          kind: 'json',
          example: '{"type": "object", "required": ["order_id"]}',
        }}
        path={['inputs']}
        value={isObject(document.inputs) ? document.inputs : undefined}
        onChange={(value) => edit(setValue(document, ['inputs'], value), 'inputs')}
      />
      <ValueField
        field={{
          ...textField('output', 'Output', 'What a run returns; without it, the output of the last step.'),
          kind: 'json',
          example: '{"total": "{{ steps.sums.total }}"}',
        }}
        path={['output']}
        value={document.output}
        onChange={(value) => edit(setValue(document, ['output'], value), 'output')}
      />
    </Card>
  );
}
