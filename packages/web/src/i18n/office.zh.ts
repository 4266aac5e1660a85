export const officeZh = {
  "office.people": "在场的会话",
  "office.empty": "办公室里没有人",
  "office.emptyLead": "连接一个智能体，会话开始时它就会在这里就座。",
  "office.celebrates": "刚刚交付了成果",
  "office.door": "只看 {machine} 上的",
  "office.queue": "{count} 个在等你",
}
