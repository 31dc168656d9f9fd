//! The operations of the protocol, by their names (A2A §5.3).

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreatePush,
    GetPush,
    ListPushes,
    DeletePush,
    GetExtendedAgentCard,
}

impl Method {
    /// Every operation.
    pub const ALL: [Method; 11] = [
        Method::SendMessage,
        Method::SendStreamingMessage,
        Method::GetTask,
        Method::ListTasks,
        Method::CancelTask,
        Method::SubscribeToTask,
        Method::CreatePush,
        Method::GetPush,
        Method::ListPushes,
        Method::DeletePush,
        Method::GetExtendedAgentCard,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Method::SendMessage => "SendMessage",
            Method::SendStreamingMessage => "SendStreamingMessage",
            Method::GetTask => "GetTask",
            Method::ListTasks => "ListTasks",
            Method::CancelTask => "CancelTask",
            Method::SubscribeToTask => "SubscribeToTask",
            Method::CreatePush => "CreateTaskPushNotificationConfig",
            Method::GetPush => "GetTaskPushNotificationConfig",
            Method::ListPushes => "ListTaskPushNotificationConfigs",
            Method::DeletePush => "DeleteTaskPushNotificationConfig",
            Method::GetExtendedAgentCard => "GetExtendedAgentCard",
        }
    }

    /// The operation of this name.
    pub fn named(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn every_operation_is_found_by_its_name_and_older_names_are_none() {
        for method in Method::ALL {
            assert_eq!(Method::named(method.name()), Some(method));
        }
        assert_eq!(Method::named("message/send"), None);
        assert_eq!(Method::named("sendMessage"), None);
    }
}
