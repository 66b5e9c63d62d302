/** Texts on people, in Japanese. */
import type { people as english } from '../en/people.ts';
import type { Translated } from '../en.ts';

export const people: Translated<typeof english> = {
  users: {
    title: 'ユーザー',
    what: 'この会社のアプリケーションにサインインできる人と、グループでのロールです。',
    add: 'ユーザーを追加',
    none: 'ユーザーがまだいません',
    noneAdvice: 'アプリケーションを使う人を追加するか、IDプロバイダーの全アカウントを受け入れる設定にします。',
    account: 'アカウント',
    email: 'メール',
    firstName: '名',
    lastName: '姓',
    memberships: 'グループでのロール',
    noMemberships: 'どのグループにもロールがありません。まだアプリケーションを使えません。',
    disable: '無効にする：5秒以内にサインインとトークンを拒否',
    remove: 'このユーザーを削除',
    removeWhat: (account) => `${account}はサインインできなくなります。所有するレコードは残ります。`,
    identities: 'IDプロバイダーでの識別',
    noIdentities: 'IDプロバイダーでのサインインはまだありません。',
    sessions: 'セッション',
    noSessions: '現在セッションはありません。',
    endSession: '終了',
    endAll: 'すべてのセッションを終了',
    ended: 'セッションを終了しました',
    addRole: 'グループのロールを追加',
    group: 'グループ',
    role: 'ロール',
  },

  groups: {
    title: 'グループ',
    what: 'ユーザーはグループでロールを持ちます。アプリケーションを使える人やレコードが見える人もグループで決まります。',
    add: 'グループを追加',
    none: 'グループがまだありません',
    noneAdvice: 'チームや顧客ごとに追加します。ユーザーにはその後でロールを与えます。',
    members: 'メンバー',
    noMembers: 'このグループでロールを持つ人はいません。',
    membersAdvice: 'ユーザーの画面でこのグループのロールを与えると、メンバーになります。',
    remove: 'このグループを削除',
    removeWhat: (name) =>
      `全メンバーが${name}でのロールを失います。このグループと共有したレコードはグループ名を保ちますが、それによっては誰にも見えなくなります。元に戻せません。`,
  },

  roles: {
    title: 'ロール',
    what: '組み込みロールは管理できる範囲を、カスタムロールは各テーブルでできることを決めます。',
    add: 'ロールを追加',
    kind: '種類',
    builtIn: '組み込み',
    custom: 'カスタム',
    unrestricted: '無制限',
    builtInWhat: '組み込みロールは全テーブルの全権限を含み、変更できません。',
    unrestrictedWhat:
      '権限の指定が必須になる前のロールで、全テーブルの全権限を与えます。権限を設定すると、それは恒久的に終わります。',
    remove: 'このロールを削除',
    removeWhat: (name) => `${name}とそのテーブル権限がなくなります。誰かが持っているロールは削除できません。`,
    rights: 'テーブルの権限',
    rightsIn: '権限を設定するアプリケーション',
    rightsHint: 'チェックしたものだけを与えます。ユーザーの権限は、持っている全ロールの合計です。',
    withRights: (name, count) => `${name}（${count}）`,
    noApplication: 'アプリケーションがまだないため、権限を与えるテーブルがありません。',
    table: 'テーブル',
    everyTable: '全テーブル（今後のものも含む）',
    rightNames: { read: '読み取り', add: '追加', update: '更新', delete: '削除' },
  },
};
