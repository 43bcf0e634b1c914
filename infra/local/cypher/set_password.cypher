// Replaces the password that the connected user logged in with; runs on the system database.
ALTER CURRENT USER SET PASSWORD FROM $old TO $new
