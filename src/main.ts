console.log('forgehall')
