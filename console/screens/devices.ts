/** The devices registered for an application. */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Empty, Screen } from '../components/basics.ts';
import { DangerButton } from '../components/danger.ts';
import { List } from '../components/list.ts';
import { Time } from '../components/time.ts';
import { tell } from '../components/toasts.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import type { Place } from '../route.ts';
import { may } from '../session.ts';

const path = '/companies/:companyId/applications/:appId/devices';
type Device = Results<`GET ${typeof path}`>[number];

export default function Devices({ place }: { place: Place }): VNode {
  const texts = words().devices;
  const params = { companyId: place.companyId as number, appId: place.appId as string };
  const [turn, setTurn] = useState(0);
  const forget = async ({ id, deviceUDID }: Device) => {
    await call(`DELETE ${path}/:deviceId`, { params: { ...params, deviceId: id } });
    tell(words().removed(deviceUDID));
    setTurn(turn + 1);
  };
  const actions = {
    heading: texts.actions,
    cell: (device: Device) =>
      h(DangerButton, {
        action: texts.forget,
        to: device.deviceUDID,
        onConfirm: () => forget(device),
        children: texts.forgetWhat(device.name || device.deviceUDID),
      }),
  };
  return h(
    Screen,
    { title: texts.title(params.appId), what: texts.what },
    h(List<Device>, {
      label: texts.title(params.appId),
      columns: [
        { heading: texts.udid, cell: ({ deviceUDID }) => deviceUDID, isMono: true },
        { heading: words().name, cell: ({ name }) => name },
        { heading: texts.system, cell: ({ osType }) => osType },
        { heading: texts.push, cell: ({ hasPushToken }) => (hasPushToken ? words().yes : words().no) },
        { heading: texts.registered, cell: ({ createTime }) => h(Time, { at: createTime }) },
        { heading: texts.latest, cell: ({ updateTime }) => h(Time, { at: updateTime }) },
        ...(may.value('device.delete') ? [actions] : []),
      ],
      ask: (query, signal) => call(`GET ${path}`, { params, query }, signal),
      rowKey: ({ id }) => id,
      by: [turn],
      empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
    }),
  );
}
